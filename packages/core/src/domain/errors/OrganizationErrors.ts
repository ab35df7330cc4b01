/**
 * The errors about an organization and what belongs to it.
 */
import { error } from "./ErrorRow.ts"

export class OrganizationNotFound extends error<OrganizationNotFound>()(
  "OrganizationNotFound",
  "organization_not_found",
  {
    status: 404,
    params: {},
    sentence: "Organization not found",
    meaning: "No organization has this id.",
    retry: "changed",
    advice: "Create the organization first.",
    isForOperators: true,
  },
) {}

export class OrganizationExists extends error<OrganizationExists>()(
  "OrganizationExists",
  "organization_exists",
  {
    status: 409,
    params: {},
    sentence: "The id is taken",
    meaning: "An organization with this id exists already.",
    retry: "changed",
    advice: "Choose another id.",
  },
) {}

export class ApiKeyNotFound extends error<ApiKeyNotFound>()("ApiKeyNotFound", "api_key_not_found", {
  status: 404,
  params: {},
  sentence: "API key not found",
  meaning: "The organization has no API key with this id.",
  retry: "changed",
  advice: "Tell the user that the id is wrong.",
}) {}

export class SenderNotFound extends error<SenderNotFound>()("SenderNotFound", "sender_not_found", {
  status: 404,
  params: {},
  sentence: "Sender not found",
  meaning: "The organization has no sender with this id.",
  retry: "changed",
  advice: "Tell the user that the id is wrong.",
}) {}

export class WebhookNotFound extends error<WebhookNotFound>()(
  "WebhookNotFound",
  "webhook_not_found",
  {
    status: 404,
    params: {},
    sentence: "Webhook not found",
    meaning: "The organization has no webhook with this id.",
    retry: "changed",
    advice: "Tell the user that the webhook was removed.",
  },
) {}
