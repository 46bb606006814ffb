"""Firefox as Playwright starts it: `firefox.py PROGRAM OPTIONS…` runs the program, and passes on what both say.

Playwright drives a Firefox of a distribution by WebDriver BiDi. It asks for one thing that an extended support release
does not know, to set the colour scheme of a new window, and takes the refusal for the end. Here that is answered with
nothing done; all else goes through as it is.
"""

import asyncio
import json
import re
import sys
from functools import partial

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
LEFT_OUT = "emulation.setMediaFeaturesOverride"


async def relay(client: ServerConnection, address: str) -> None:
    """One session, both ways, until either end goes."""
    async with connect(f"{address}/session", max_size=None, compression=None, ping_interval=None) as browser:

        async def answer() -> None:
            async for message in browser:
                await client.send(message)
            await client.close()

        answering = asyncio.create_task(answer())
        async for message in client:
            request = json.loads(message)
            if request.get("method") == LEFT_OUT:
                await client.send(json.dumps({"type": "success", "id": request["id"], "result": {}}))
            else:
                await browser.send(message)
        answering.cancel()


async def main(program: str, *options: str) -> int:
    """Run the browser until it ends; what it says goes to stderr, with our address in place of its own."""
    browser = await asyncio.create_subprocess_exec(program, *options, stderr=asyncio.subprocess.PIPE)
    assert browser.stderr is not None
    async for line in browser.stderr:
        text = line.decode(errors="replace").rstrip()
        match = LISTENING.search(text)
        if match is None:
            print(text, file=sys.stderr, flush=True)
            continue
        server = await serve(
            partial(relay, address=match[1]), "127.0.0.1", 0, max_size=None, compression=None, ping_interval=None
        )
        port = server.sockets[0].getsockname()[1]
        print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
    return await browser.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
