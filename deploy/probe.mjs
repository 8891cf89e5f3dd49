// Asks one address and ends with 0 when it says yes: a health check that needs nothing but Node.
const [address] = process.argv.slice(2);
try {
  const reply = await fetch(address, { signal: AbortSignal.timeout(4_000) });
  if (!reply.ok) console.error(`${reply.status} ${await reply.text()}`);
  process.exitCode = reply.ok ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
