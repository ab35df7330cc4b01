// The body of Ory Kratos' courier for `kratosSmsHook`. Of all the fields that Kratos offers, only `body` has the text
// of every template.
function(ctx) {
  to: ctx.recipient,
  text: ctx.body,
}
