/**
 * Gateways to vendors, a function for each, whose values are handed to `createCountersign`. An adapter is
 * loaded when an engine that uses it is started. What is wrong with the options, `createCountersign` says.
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
