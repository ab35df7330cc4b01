/**
 * The Action of Auth0's custom phone provider for `textSmsHook`. Secrets of the Action: `HOOK_URL`, the address of the
 * hook, and `HOOK_TOKEN`, its token.
 */
// oxlint-disable-next-line typescript/no-require-imports -- Actions are CommonJS.
const { createHmac } = require("node:crypto")

exports.onExecuteCustomPhoneProvider = async (event, api) => {
  const { notification, secrets, transaction } = event
  if (notification.delivery_method !== "text") {
    return api.notification.drop("This provider makes no calls")
  }
  const { as_text: text, code = text, recipient: to } = notification
  const keyed = createHmac("sha256", secrets.HOOK_TOKEN)
  const id = keyed.update(`${transaction?.correlation_id} ${to} ${code}`).digest("hex")
  const response = await fetch(secrets.HOOK_URL, {
    method: "POST",
    headers: { authorization: `Bearer ${secrets.HOOK_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ to, text, id }),
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  if (response === undefined || response.status >= 500) {
    return api.notification.retry(`Countersign has answered ${response?.status ?? "nothing"}`)
  }
  // A repeat would get the same answer.
  if (!response.ok) api.notification.drop(`Countersign has answered ${response.status}`)
}
