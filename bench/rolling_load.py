# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP requests at a steady rate, each over a new connection.

    rolling_load.py ADDRESS RATE    until the standard input ends

Then prints, as JSON, every request as [start, seconds, error]; the error is ""
for an answer with status 200.  The times are of CLOCK_REALTIME.  A request has
5 seconds.
"""

import asyncio
import json
import sys
import time

REQUEST = b"GET / HTTP/1.0\r\n\r\n"
TIMEOUT = 5


async def ask(address):
    reader, writer = await asyncio.open_connection(address, 80)
    try:
        writer.write(REQUEST)
        answer = await reader.read()
    finally:
        writer.close()
    words = answer.split(None, 2)
    if words[1:2] != [b"200"]:
        raise OSError(f"answer {answer[:40]!r}")


async def request(address, results):
    began, clock = time.time(), time.monotonic()
    error = ""
    try:
        await asyncio.wait_for(ask(address), TIMEOUT)
    except (OSError, asyncio.TimeoutError) as failure:
        error = str(failure) or type(failure).__name__
    results.append([began, time.monotonic() - clock, error])


async def main():
    address, rate = sys.argv[1], float(sys.argv[2])
    loop = asyncio.get_running_loop()
    stop = loop.run_in_executor(None, sys.stdin.read)
    results, running = [], set()
    due = loop.time()
    while not stop.done():
        due += 1 / rate
        task = loop.create_task(request(address, results))
        running.add(task)
        task.add_done_callback(running.discard)
        await asyncio.sleep(max(0, due - loop.time()))
    if running:
        await asyncio.wait(set(running))
    json.dump(results, sys.stdout)


asyncio.run(main())
