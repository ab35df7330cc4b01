/**
 * Functions that create gateways to vendors for `createCountersign`. The adapter is loaded when an engine
 * starts that uses it. `createCountersign` checks the options and reports problems.
 */
export {
  alphaSms,
  banglalink,
  bulkSmsBd,
  grameenphone,
  mimSms,
  robi,
  sslWireless,
} from "./internal/vendors/bangladesh.ts"
export { httpGateway, kannel, smpp, smsGate } from "./internal/vendors/own.ts"
export { twilio, vonage, whatsappCloud } from "./internal/vendors/worldwide.ts"
export type * from "./internal/httpDescription.ts"
export type * from "./internal/vendorTypes.ts"
