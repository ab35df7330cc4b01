/** Phone login for React pages, over the login protocol of Countersign. */
export { CodeInput, type CodeInputProps } from "./internal/codeInput.tsx"
export { createFetcher, type FetcherOptions } from "./internal/fetcher.ts"
export { PhoneInput, type PhoneInputProps } from "./internal/phoneInput.tsx"
export { bangla, english, problemText, type Texts } from "./internal/texts.ts"
export type {
  Answer,
  Channel,
  CheckInput,
  Fetcher,
  Idle,
  Problem,
  ResendInput,
  StartInput,
  Waiting,
} from "./internal/types.ts"
export { type CodeInputState, useCodeInput } from "./internal/useCodeInput.ts"
export {
  useVerification,
  type Verification,
  type VerificationOptions,
} from "./internal/useVerification.ts"
export type {
  CheckingState,
  CodeRequest,
  FailedState,
  IdleState,
  SendingState,
  VerificationState,
  VerifiedState,
  WaitingState,
} from "./internal/verification.ts"
export { VerificationForm, type VerificationFormProps } from "./internal/verificationForm.tsx"
