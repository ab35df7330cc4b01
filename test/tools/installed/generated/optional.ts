/** The names of all members of a type that may be absent, however deep they are. */
export type OptionalIn<A> =
  A extends ReadonlyArray<infer Element>
    ? OptionalIn<Element>
    : A extends object
      ? {
          [K in keyof A]-?: (Partial<Pick<A, K>> extends Pick<A, K> ? K : never) | OptionalIn<A[K]>
        }[keyof A]
      : never
