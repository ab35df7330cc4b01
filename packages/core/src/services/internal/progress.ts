/**
 * How far a request has come, kept while it is made anew with newer settings: it is counted once,
 * however often that happens.
 */
export interface Progress {
  counted: boolean
  /** Whether the gateway has said that nobody is there on WhatsApp. */
  unreachable: boolean
}
