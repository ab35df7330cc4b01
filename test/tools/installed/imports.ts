/**
 * Every concept, for the compiler alone: vitest, which `@countersign/testing` needs, cannot be loaded
 * outside of its own runner.
 */
import * as core from "@countersign/core"
import * as http from "@countersign/http"
import * as node from "@countersign/node"
import * as postgres from "@countersign/postgres"
import * as proofs from "@countersign/proofs"
import * as testing from "@countersign/testing"

export const concepts: ReadonlyArray<object> = [core, http, node, postgres, proofs, testing]
