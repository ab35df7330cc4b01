/** The errors about an organization and what belongs to it. */
import { error } from "./ErrorRow.ts"

export class OrganizationNotFound extends error<OrganizationNotFound>()("OrganizationNotFound", {
  code: "organization_not_found",
  status: 404,
  params: {},
  sentence: "Organization not found",
  meaning: "No organization has this id.",
  advice: "Create the organization first.",
  isForOperators: true,
}) {}

export class OrganizationExists extends error<OrganizationExists>()("OrganizationExists", {
  code: "organization_exists",
  status: 409,
  params: {},
  sentence: "The id is taken",
  meaning: "An organization with this id exists already.",
  advice: "Choose another id.",
}) {}

export class ApiKeyNotFound extends error<ApiKeyNotFound>()("ApiKeyNotFound", {
  code: "api_key_not_found",
  status: 404,
  params: {},
  sentence: "API key not found",
  meaning: "The organization has no API key with this id.",
  advice: "Tell the user that the id is wrong.",
}) {}

export class SenderNotFound extends error<SenderNotFound>()("SenderNotFound", {
  code: "sender_not_found",
  status: 404,
  params: {},
  sentence: "Sender not found",
  meaning: "The organization has no sender with this id.",
  advice: "Tell the user that the id is wrong.",
}) {}

export class WebhookNotFound extends error<WebhookNotFound>()("WebhookNotFound", {
  code: "webhook_not_found",
  status: 404,
  params: {},
  sentence: "Webhook not found",
  meaning: "The organization has no webhook with this id.",
  advice: "Tell the user that the webhook was removed.",
}) {}
