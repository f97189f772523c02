// Questions to this page's own server. What it refuses, or that it does not answer, becomes an Error with a reason.

async function ask(address, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...options });
  } catch {
    throw Object.assign(new Error("The server does not answer. Try again in a moment."), { silent: true });
  }
  const told = await answer.json().catch(() => ({ error: `the server failed (${answer.status})` }));
  if (!answer.ok) throw Object.assign(new Error(told.error), { status: answer.status });
  return told;
}
