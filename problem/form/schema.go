package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Schema is a JSON Schema of draft 2020-12, as far as specs need one.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Ref         string `json:"$ref,omitempty"`

	Type    Types `json:"type,omitempty"`
	Enum    []any `json:"enum,omitempty"`
	Const   any   `json:"const,omitempty"`
	Default any   `json:"default,omitempty"`

	Minimum          json.Number `json:"minimum,omitempty"`
	ExclusiveMinimum json.Number `json:"exclusiveMinimum,omitempty"`
	Maximum          json.Number `json:"maximum,omitempty"`
	ExclusiveMaximum json.Number `json:"exclusiveMaximum,omitempty"`

	MinLength int    `json:"minLength,omitempty"`
	MaxLength int    `json:"maxLength,omitempty"`
	Pattern   string `json:"pattern,omitempty"`

	MinItems int     `json:"minItems,omitempty"`
	Items    *Schema `json:"items,omitempty"`

	Properties properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	Additional any        `json:"additionalProperties,omitempty"`

	AnyOf []Schema `json:"anyOf,omitempty"`
	AllOf []Schema `json:"allOf,omitempty"`
	If    *Schema  `json:"if,omitempty"`
	Then  *Schema  `json:"then,omitempty"`

	Defs properties `json:"$defs,omitempty"`
}

// Types is one word, or a list of several.
type Types []string

// MarshalJSON writes a single word without a list around it.
func (w Types) MarshalJSON() ([]byte, error) {
	if len(w) == 1 {
		return json.Marshal(w[0])
	}
	return json.Marshal([]string(w))
}

// properties are schemas by key, in the order of the vocabulary.
type properties []property

type property struct {
	key string
	Schema
}

// MarshalJSON writes an object that keeps the order. A schema that allows anything is written as true.
func (p properties) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := encode(one.Schema, "")
		if err != nil {
			return nil, err
		}
		if string(value) == "{}\n" {
			value = []byte("true")
		}
		fmt.Fprintf(b, "%q:%s", one.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without escapes for HTML, and with an end of line.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// OrNull allows null as well, which stands for a key's default.
func (s Schema) OrNull() Schema {
	switch {
	case s.Type != nil:
		s.Type = append(slices.Clip(s.Type), "null")
	case s.Enum != nil:
		s.Enum = append(slices.Clip(s.Enum), nil)
	case s.AnyOf != nil:
		s.AnyOf = append(slices.Clip(s.AnyOf), isNull())
	default:
		s = Schema{AnyOf: []Schema{s, isNull()}}
	}
	return s
}

// Schema returns the JSON Schema of the documents, for editors that complete and check as one types. It refuses unknown keys,
// values of the wrong type and values outside their range; what depends on several keys at once it cannot tell.
func (v *Vocabulary) Schema(title, description string) []byte {
	o := v.root
	root := o.schema()
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.Title, root.Description = title, description
	root.Defs = lists.Of(o.shelf.names, func(name string) property { return property{name, o.shelf.named[name].schema()} })
	text, err := encode(root, "  ")
	if err != nil {
		panic("form: the schema is not written: " + err.Error())
	}
	return text
}

// schema writes at the top what a key holds wherever it may stand, and under a condition each which keys a variant has and needs.
func (o *outline) schema() Schema {
	closed := false
	s := Schema{Type: Types{"object"}, Properties: o.alike(), Required: o.needed()}
	if len(o.variants) == 1 {
		s.Additional = &closed
		return s
	}
	s.AllOf = append(o.variants[0].choices[0].fallback(), o.refined(s.Properties)...)
	for _, v := range o.variants {
		then := Schema{Additional: &closed, Required: v.needed()}
		for _, e := range v.entries {
			one := property{key: e.key}
			if s.Properties.index(e.key) < 0 {
				one.Schema = e.schema()
			}
			then.Properties = append(then.Properties, one)
		}
		s.AllOf = append(s.AllOf, Schema{If: conditions(v.choices), Then: &then})
	}
	return s
}

// refined says what a choice may be under the choices before it, where that differs: a choice that nobody offers makes no
// variant, so no variant refuses it.
func (o *outline) refined(alike properties) (list []Schema) {
	seen := map[string]bool{}
	for _, v := range o.variants {
		for i, c := range v.choices {
			under := fmt.Sprint(v.choices[:i])
			if i == 0 || alike.index(c.key) >= 0 || seen[under] {
				continue
			}
			seen[under] = true
			then := holds(c.key, v.entries[v.entries.index(c.key)].schema())
			list = append(list, Schema{If: conditions(v.choices[:i]), Then: &then})
		}
	}
	return list
}

// alike returns the keys with the same schema in every variant that has them.
func (o *outline) alike() (list properties) {
	differs := map[string]bool{}
	for _, v := range o.variants {
		for _, e := range v.entries {
			one := property{e.key, e.schema()}
			if i := list.index(e.key); i < 0 {
				list = append(list, one)
			} else if !reflect.DeepEqual(list[i], one) {
				differs[e.key] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(one property) bool { return differs[one.key] })
}

// index returns where a key is, -1 if it is not.
func (p properties) index(key string) int {
	return slices.IndexFunc(p, func(one property) bool { return one.key == key })
}

// needed returns the keys that no variant can do without.
func (o *outline) needed() []string {
	return slices.DeleteFunc(o.variants[0].needed(), func(key string) bool {
		return slices.ContainsFunc(o.variants, func(v variant) bool { return !slices.Contains(v.needed(), key) })
	})
}

// needed returns the keys that a variant cannot do without.
func (v variant) needed() (keys []string) {
	for _, e := range v.entries {
		if e.need {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// schema of an entry: of its value, with what a reader wants to know about it.
func (e entry) schema() Schema {
	s := e.value
	if e.below != nil {
		s = e.nested()
	}
	if !e.need {
		s = s.OrNull()
	}
	s.Description = e.description()
	s.Default = e.absent.asJSON()
	return s
}

// nested is the schema of what lies below a key: a mapping, a list of them, or a word that stands for one.
func (e entry) nested() Schema {
	s := Schema{Ref: "#/$defs/" + e.below.name}
	if e.below.name == "" {
		s = e.below.schema()
	}
	switch {
	case e.list:
		return Schema{Type: Types{"array"}, MinItems: 1, Items: &s}
	case e.value.Enum != nil || e.value.Type != nil:
		return Schema{AnyOf: []Schema{e.value, s}}
	}
	return s
}

// conditions hold when all choices were made.
func conditions(choices []choice) *Schema {
	if len(choices) == 1 {
		s := choices[0].condition()
		return &s
	}
	return &Schema{AllOf: lists.Of(choices, choice.condition)}
}

// holds is the schema of mappings in which a key, if it is there, holds something.
func holds(key string, value Schema) Schema { return Schema{Properties: properties{{key, value}}} }

// and wants a key to be there.
func (s Schema) and(key string) Schema {
	s.Required = append(s.Required, key)
	return s
}

// isNull is what a key holds that is absent, or set back to its default.
func isNull() Schema { return Schema{Type: Types{"null"}} }

// condition holds when the key says so, or is absent and its default does.
func (c choice) condition() Schema {
	said := holds(c.key, Schema{Const: c.option}).and(c.key)
	switch {
	case c.presence && c.option == "absent":
		return holds(c.key, isNull())
	case c.presence:
		return holds(c.key, Schema{Type: Types{"object", "array", "string", "number"}}).and(c.key)
	case c.like != "":
		follows := Schema{Properties: properties{{c.key, isNull()}, {c.like, Schema{Const: c.option}}}}
		return Schema{AnyOf: []Schema{said, follows.and(c.like)}}
	case c.absent == c.option:
		return holds(c.key, Schema{Enum: []any{c.option, nil}})
	}
	return said
}

// fallback asks the key that a choice is taken from to name an option when the choice itself is absent.
func (c choice) fallback() []Schema {
	if c.like == "" {
		return nil
	}
	absent, named := holds(c.key, isNull()), holds(c.like, Schema{Enum: asAny(c.options)})
	return []Schema{{If: &absent, Then: &named}}
}

// asAny returns words as values of any type.
func asAny(words []string) []any {
	return lists.Of(words, func(w string) any { return w })
}
