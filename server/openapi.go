package server

import (
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/session"
)

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// openAPI describes the routes as OpenAPI 3.1.
func openAPI(c *call) (int, any, error) {
	paths := map[string]map[string]any{}
	for _, r := range c.table {
		r.Path = strings.TrimSuffix(r.Path, "{$}") // as a mux writes that nothing follows
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]any{}
		}
		paths[r.Path][strings.ToLower(r.Method)] = r.operation()
	}
	return 200, map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "kedge", "version": c.setup.Build, "description": "Ask for a decision, say what was deployed, tell what people did."},
		"paths":   paths,
	}, nil
}

func (r route) operation() map[string]any {
	op := map[string]any{"summary": r.Says, "operationId": strings.ToLower(r.Method) + strings.ReplaceAll(parameter.ReplaceAllString(r.Path, "$1"), "/", "-")}
	var list []any
	for _, name := range parameter.FindAllStringSubmatch(r.Path, -1) {
		list = append(list, map[string]any{"name": name[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	for _, name := range strings.Fields(r.asks) {
		list = append(list, map[string]any{"name": name, "in": "query", "schema": map[string]any{"type": "string"}})
	}
	if r.dry {
		list = append(list, map[string]any{"name": "dry_run", "in": "query", "description": "the whole answer, and nothing is written", "schema": map[string]any{"type": "boolean"}})
	}
	if r.isOnce() {
		list = append(list, map[string]any{"name": "Idempotency-Key", "in": "header", "description": "a word under which this is done once: its repeats get the first reply, for ever", "schema": map[string]any{"type": "string", "maxLength": mostWord}})
	}
	if list != nil {
		op["parameters"] = list
	}
	if r.Right != Anybody {
		op["x-right"] = r.Right
	}
	if r.In != nil {
		op["requestBody"] = map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": schemaOf(reflect.TypeOf(r.In), true)}}}
	}
	replies := map[string]any{"default": map[string]any{"description": "a problem", "content": map[string]any{"application/problem+json": map[string]any{"schema": schemaOf(reflect.TypeFor[ProblemDetails](), false)}}}}
	good := map[string]any{"description": "done"}
	if r.Out != nil {
		good["content"] = map[string]any{"application/json": map[string]any{"schema": schemaOf(reflect.TypeOf(r.Out), false)}}
	}
	replies["2XX"] = good
	op["responses"] = replies
	return op
}

// schemaOf is the JSON Schema of a type. Requests have no other keys than these; replies may grow.
func schemaOf(t reflect.Type, strict bool) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[session.Hash]():
		return map[string]any{"type": "string", "pattern": "^[0-9a-f]{64}$"}
	case t == reflect.TypeFor[session.Sparse]():
		return map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"type": []string{"number", "null"}}}
	}
	plain := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number", reflect.Float32: "number"}
	if name, is := plain[t.Kind()]; is {
		return map[string]any{"type": name}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), strict)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{} // any value
		}
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), strict)}
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), strict)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), strict)}
	}
	properties, needed := map[string]any{}, []string{}
	fields(t, strict, properties, &needed)
	s := map[string]any{"type": "object", "properties": properties}
	if strict {
		s["additionalProperties"] = false
	} else if len(needed) > 0 {
		s["required"] = needed
	}
	return s
}

// fields lists those of a struct and of what is embedded in it.
func fields(t reflect.Type, strict bool, properties map[string]any, needed *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			if f.Type.Kind() == reflect.Pointer {
				fields(f.Type.Elem(), strict, properties, new([]string))
				continue
			}
			fields(f.Type, strict, properties, needed)
		default:
			properties[name] = schemaOf(f.Type, strict)
			if rest == "" {
				*needed = append(*needed, name)
			}
		}
	}
}
