/** The JSON schemas with which Fastify validates requests and writes responses in the hand-written service. */

export const sendBody = {
  type: "object",
  required: ["phone_number"],
  properties: {
    phone_number: { type: "string", maxLength: 32 },
    channel: { enum: ["sms", "whatsapp"] },
    code_length: { type: "integer", minimum: 4, maximum: 10 },
    expiry: { type: "integer", minimum: 60, maximum: 3_600 },
    locale: { enum: ["en-us", "bn-bd"] },
    brand_id: { type: "string" },
  },
}

export const checkBody = {
  type: "object",
  required: ["request_id", "code"],
  properties: {
    request_id: { type: "string", minLength: 1 },
    code: { type: "string", minLength: 1, maxLength: 32 },
  },
}

const success = (data: Readonly<Record<string, { readonly type: string }>>) => ({
  type: "object",
  properties: { success: { type: "boolean" }, data: { type: "object", properties: data } },
})

const text = { type: "string" }

export const sendAnswer = success({
  request_id: text,
  to: text,
  channel: text,
  status: text,
  expires_in: { type: "integer" },
})

export const checkAnswer = success({ request_id: text, to: text, status: text, verified_at: text })
