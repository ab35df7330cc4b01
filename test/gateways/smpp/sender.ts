/**
 * A node that sends numbered messages over SMPP, and prints each that was accepted: `node sender.ts FIRST COUNT`. It
 * runs until it is killed.
 */
import { createCountersign } from "countersign"
import { smpp } from "countersign/gateways"

const [first = 0, count = 0] = process.argv.slice(2).map(Number)

const { account, messages } = await createCountersign({
  database: { url: process.env["DATABASE_URL"] },
  secret: "a secret of a process that is killed, long enough",
  gateways: {
    sms: smpp({
      host: "127.0.0.1",
      port: Number(process.env["SMSC_PORT"]),
      systemId: "acme",
      password: "secret",
      window: 3,
      answerTimeout: "1 second",
      timeout: "2 seconds",
    }),
  },
  senders: { sms: "8809600000000" },
  prices: { sms: "0.50", currency: "BDT" },
  settleAfter: "10 seconds",
})
// The same payment for every process: it is booked once.
await account.topUp({ amount: "1000", paymentId: "first" })
console.log("ready")

/** The messages that are sent at once: as many as the window holds, and one that waits. */
const atOnce = 4

let next = first
const work = async (): Promise<void> => {
  while (next < first + count) {
    const number = next++
    await messages.send({ phoneNumber: "+8801712345678", text: `#${number} hello` }).then(
      () => console.log(`accepted ${number}`),
      () => {},
    )
  }
}
await Promise.all(Array.from({ length: atOnce }, work))
