// Package form reads documents written in YAML, strictly, and knows all about the keys that they may have.
//
// A section of a document describes itself once, key by key, to a [Form]: the key, how its values are read and written, its
// default and what it means. The form then fills the section from a document, prints it, or collects the [Vocabulary], from which
// explanations, completions, a JSON Schema and annotated documents are made. So these cannot disagree about a key.
//
// A key that is not known, a value of the wrong type or outside its range, a length that does not fit another are [Mistakes],
// all of them at once, each with its file, line and key.
package form
