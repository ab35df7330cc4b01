// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 answers rejections.
import { countersignExpress } from "@countersign/express"
import { createInbox } from "@countersign/inbox"
import { createCountersign, errorResponse, isCountersignError } from "countersign"
import express from "express"

const inbox = process.env["NODE_ENV"] === "production" ? undefined : createInbox()
const { verifications } = await createCountersign({
  database: "memory", // yours is a server
  gateways: inbox?.gateways ?? [], // … ?? [twilio({ … })]
})

const page = `<!doctype html><title>Login</title>
<form method="post" action="/login"><label>Phone number <input name="phoneNumber" /></label>
<button>Send code</button></form>`
const codePage = (requestId: string) => `<!doctype html><title>Login</title>
<form method="post" action="/login/check"><input type="hidden" name="requestId" value="${requestId}" />
<label>Code <input name="code" /></label><button>Sign in</button></form>`

const app = express().use(express.urlencoded())
if (inbox !== undefined) app.use("/inbox", countersignExpress(inbox))
app.get("/", (_request, response) => void response.send(page))
app.post("/login", async (request, response) => {
  const { requestId } = await verifications.send({ phoneNumber: request.body.phoneNumber })
  response.send(codePage(requestId)) // yours keeps the id in the session
})
app.post("/login/check", async (request, response) => {
  const { code, requestId } = request.body
  try {
    const { phoneNumber } = await verifications.verify({ requestId, code })
    response.send(`<p>Signed in as ${phoneNumber}</p>`)
  } catch (error) {
    if (!isCountersignError(error)) throw error
    response.status(errorResponse(error).status).send(`<p>${error.code}</p>`)
  }
})
app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
