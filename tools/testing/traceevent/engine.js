// SPDX-License-Identifier: GPL-2.0
//
// node engine.js duckdb|clickhouse <QUERIES
//
// Runs queries in DuckDB, or in chDB, which is clickhouse local as a library. A query ends with
// ";" at the end of a line. Prints "== N" for each query, then its rows with tabs between the
// columns.  @duckdb/node-api or chdb is found through NODE_PATH.

'use strict';

const fs = require('fs');

const engines = {
	async duckdb()
	{
		const { DuckDBInstance } = require('@duckdb/node-api');
		const connection = await (await DuckDBInstance.create(':memory:')).connect();

		return async (query) => {
			const rows = (await connection.runAndReadAll(query)).getRowsJson();

			return rows.map((row) => row.join('\t') + '\n').join('');
		};
	},
	async clickhouse()
	{
		const { Session } = require('chdb');
		const session = new Session();

		return (query) => session.query(query, 'TabSeparated');
	},
};

async function main()
{
	const queries = fs.readFileSync(0, 'utf8').split(/;\s*\n/).map((text) => text.trim());
	const run = await engines[process.argv[2]]();
	let number = 0;

	for (const query of queries.filter((text) => text)) {
		const rows = await run(query);

		process.stdout.write(`== ${++number}\n${rows}`);
	}
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
