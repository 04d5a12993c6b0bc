// SPDX-License-Identifier: GPL-2.0
//
// node view.js FILE CALL TEXT [PICTURE]
//
// Opens a file of trace-calls chrome in speedscope, in headless Chromium, and searches
// for a call of the function CALL with TEXT in its properties. The packages
// speedscope and playwright-core are found through NODE_PATH.

'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');

const [file, call, text, picture] = process.argv.slice(2);
const release = path.dirname(require.resolve('speedscope/dist/release/index.html'));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
		'.json': 'application/json', '.wasm': 'application/wasm' };

function serve(request, response)
{
	const name = path.basename(new URL(request.url, 'http://host').pathname);
	const from = name === 'profile.json' ? file : path.join(release, name || 'index.html');

	if (!fs.existsSync(from) || !fs.statSync(from).isFile()) {
		response.writeHead(404).end();
		return;
	}
	response.writeHead(200, { 'Content-Type': types[path.extname(from)] || 'application/octet-stream' });
	fs.createReadStream(from).pipe(response);
}

async function main()
{
	const server = http.createServer(serve).listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const url = `http://127.0.0.1:${server.address().port}`;
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
	});
	const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
	const errors = [];
	page.on('pageerror', (error) => errors.push(error.message));

	await page.goto(`${url}/index.html#profileURL=${encodeURIComponent(url + '/profile.json')}`);
	// Use the sandwich view, which has the functions in a table with a
	// search field. The other views draw the names on a canvas.
	await page.waitForFunction(() => document.title.includes('profile') ||
				   /Time Order/.test(document.body.innerText), null, { timeout: 60000 });

	// Each track is a profile, so search the profiles for the call
	const tracks = await page.evaluate(() =>
		Number((document.body.innerText.match(/\(\d+\/(\d+)\)/) || [0, 1])[1]));
	let found = null;
	for (let n = 0; n < tracks && !found; n++) {
		await page.keyboard.press('3');
		await page.waitForTimeout(200);
		await page.keyboard.press('Control+f');
		await page.waitForTimeout(100);
		await page.keyboard.press('Control+a');
		await page.keyboard.type(call);
		await page.waitForTimeout(300);
		found = await page.evaluate(([name, part]) => {
			for (const row of document.querySelectorAll('tr'))
				if (row.innerText.includes(name) && row.innerText.includes(part))
					return row.innerText;
			return null;
		}, [call, text]);
		await page.keyboard.press('Escape');
		if (!found)
			await page.keyboard.press('n');
	}
	if (picture) {
		await page.keyboard.press('1');
		await page.waitForTimeout(1000);
		// Zoom to the first call of some length
		await page.mouse.dblclick(20, 154);
		await page.waitForTimeout(1000);
		await page.keyboard.press('Escape');
		for (let x = 600; x < 1000; x += 100) {
			await page.mouse.move(x, 500);
			await page.waitForTimeout(700);
		}
		await page.screenshot({ path: picture });
	}
	await browser.close();
	server.close();
	if (errors.length)
		throw new Error(errors[0]);
	if (!found)
		throw new Error(`no call of ${call} with ${text}`);
	console.log(found.replace(/\s+/g, ' '));
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
