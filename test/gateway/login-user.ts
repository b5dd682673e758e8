// One process of several that use one login at once: so many attempts behind gateways of their own ask their model, and what they
// were answered is printed. `login-user.ts PROGRAM COUNT`.
import { type AddressInfo, createServer } from "node:net";
import { machineLogins } from "../../src/agents/logins.ts";
import { openPass } from "../../src/gateway/gateway.ts";

const [, , program = "", count = "1"] = process.argv;

async function attempt(): Promise<number> {
  const login = { name: "codex", program } as const;
  const pass = openPass({
    routes: [{ vendor: "chatgpt", variable: "CODEX_API_KEY", login }],
    logins: machineLogins,
    ...{ budgets: [], costOf: () => 0, counted: () => {} },
  });
  const listening = createServer();
  await new Promise<void>((settle) => listening.listen(0, "127.0.0.1", settle));
  pass.serve(listening);
  const { port } = listening.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/chatgpt/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${pass.variables.CODEX_API_KEY}`, "chatgpt-account-id": "forged" },
    body: JSON.stringify(pass.variables),
  });
  await answer.text();
  await pass.close();
  return answer.status;
}

console.log(JSON.stringify(await Promise.all(Array.from({ length: Number(count) }, attempt))));
