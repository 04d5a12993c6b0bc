// SPDX-License-Identifier: GPL-2.0
//
// node duckdb.js <QUERIES
//
// Runs queries in DuckDB. A query ends with ";" at the end of a line. Prints "== N" for
// each query, then its rows with tabs between the columns.  @duckdb/node-api is found
// through NODE_PATH.

'use strict';

const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');

async function main()
{
	const queries = fs.readFileSync(0, 'utf8').split(/;\s*\n/).map((text) => text.trim());
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	let number = 0;

	for (const query of queries.filter((text) => text)) {
		const answer = await connection.runAndReadAll(query);

		console.log(`== ${++number}`);
		for (const row of answer.getRowsJson())
			console.log(row.join('\t'));
	}
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
