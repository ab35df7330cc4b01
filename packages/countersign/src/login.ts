/**
 * A login by phone, for any framework: the endpoints that a page calls, and the cookie that binds a code to its browser.
 */
export { createLogin, incomingMessageOf } from "./internal/engine/createLogin.ts"
export type * from "@countersign/http/login/LoginOptions"
