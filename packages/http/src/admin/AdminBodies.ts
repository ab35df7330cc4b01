/**
 * The bodies of errors in the admin API. Those of its operations follow from the operations.
 */
import * as Schema from "effect/Schema"
import { body } from "./internal/fields.ts"

const { Int, String } = Schema

const list = Schema.Array

/** A problem with a field, as the promise API has it. */
export const FieldFailure = body("FieldFailure", {
  code: String.annotate({ description: "What is wrong, for programs." }),
  params: Schema.Record(String, Schema.Unknown).annotate({
    description: "The parameters of the code.",
  }),
  message: String.annotate({ description: "What is wrong, for people, without the field." }),
})

/** An error. */
export const Failure = body("Failure", {
  error: String.annotate({ description: "What is wrong, for people." }),
  code: String.annotate({ description: "The error code, for programs." }),
  params: Schema.optionalKey(Schema.Record(String, Schema.Unknown)).annotate({
    description: "The values of the sentence, for translations.",
  }),
  details: Schema.optionalKey(Schema.Record(String, list(String))).annotate({
    description: "The sentences about each invalid field, by its name.",
  }),
  problems: Schema.optionalKey(Schema.Record(String, list(FieldFailure))).annotate({
    description: "The same with codes, for translations.",
  }),
  retryAfterSeconds: Schema.optionalKey(Int).annotate({
    description: "Seconds to wait before the next try.",
  }),
})
