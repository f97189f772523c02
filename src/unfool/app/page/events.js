// Server-sent events in answer to a question; leaving, or the signal's abort, ends what the server does for it.

async function* listen(address, body, signal) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    credentials: "same-origin",
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({ error: `the server failed (${answer.status})` }));
    throw new Error(told.error);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    const whole = (rest + value).split("\n\n");
    rest = whole.pop();
    for (const event of whole) yield JSON.parse(event.replace(/^data: /, ""));
  }
}
