/** Forms with fields of every kind. A list with filters loads only those that it has. */
export { CheckField, ChecksField } from "./checks.tsx"
export type { Option } from "./field.tsx"
export { SelectField } from "./select.tsx"
export { Form, SaveButton, TextField } from "./textForm.tsx"
