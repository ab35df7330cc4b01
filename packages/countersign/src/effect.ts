/**
 * For programs that mix promises with Effect, such as tests with the suites of `@countersign/testing`.
 */
export { toAdapter } from "./internal/gateways/hostGateway.ts"
