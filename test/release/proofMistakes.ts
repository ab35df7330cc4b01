/**
 * Mistakes in the proofs of consumed verifications; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const source = "packages/proofs/src"
const tests = "packages/proofs/test"

export const proofs: ReadonlyArray<Mistake> = [
  {
    name: "a proof for another service is accepted",
    file: `${source}/ProofVerifier.ts`,
    find: "        audience,\n",
    replace: "",
    test: {
      path: `${tests}/ProofVerifier.test.ts`,
      title: "a proof is rejected > for another audience",
    },
  },
  {
    name: "a proof for another purpose is accepted",
    file: `${source}/ProofVerifier.ts`,
    find: "proof.purpose !== purpose",
    replace: "proof.purpose === null",
    test: {
      path: `${tests}/ProofVerifier.test.ts`,
      title: "a proof is rejected > for another purpose",
    },
  },
  {
    name: "a token of another type is accepted as a proof",
    file: `${source}/ProofVerifier.ts`,
    find: "        typ,\n",
    replace: "",
    test: {
      path: `${tests}/ProofVerifier.test.ts`,
      title: "a proof is rejected > of another type under the same key",
    },
  },
  {
    name: "a proof without an end is accepted",
    file: `${source}/ProofVerifier.ts`,
    find: 'requiredClaims: ["exp"],',
    replace: "",
    test: {
      path: `${tests}/ProofVerifier.test.ts`,
      title: "a proof is rejected > that never expires",
    },
  },
  {
    name: "the error of a proof carries the phone number",
    file: `${source}/ProofVerifier.ts`,
    find: 'return new ProofError("wrong_audience")',
    replace: 'return new ProofError("wrong_audience", { cause: error })',
    test: {
      path: `${tests}/ProofVerifier.test.ts`,
      title: "a proof is rejected > for another audience",
    },
  },
  {
    name: "a private key is published",
    file: `${source}/internal/signingKey.ts`,
    find: "const publicKey = { ...bare,",
    replace: "const publicKey = { ...(await exportJWK(privateKey)), ...bare,",
    test: {
      path: `${tests}/ProofSigner.test.ts`,
      title: "signs if it is the first, and is published in any place",
    },
  },
  {
    name: "a key of proofs from a public document is accepted in production",
    file: "packages/countersign/src/internal/options/proofs.ts",
    find: "place !== -1 && mayServeUsers(options)",
    replace: "place > keys.length",
    test: {
      path: "packages/countersign/test/proofs.test.ts",
      title: "with NODE_ENV production on undefined is refused: true",
    },
  },
]
