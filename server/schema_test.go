package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// judge is a transport that holds every reply of the tests against the description of the server that gave it.
type judge struct {
	http.RoundTripper
	mu      sync.Mutex
	schemas map[string]*described // by the address of a server
	texts   map[string]*described // by what servers say: most say the same
	faults  []string
	judged  int
}

// described is what a server says of its replies.
type described struct {
	compiler *jsonschema.Compiler
	paths    map[string]*regexp.Regexp
	document map[string]any
	known    map[string]*jsonschema.Schema
}

// RoundTrip sends a request and judges its reply.
func (j *judge) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := j.RoundTripper.RoundTrip(r)
	if err != nil || r.Method == http.MethodHead || !strings.Contains(reply.Header.Get("Content-Type"), "json") {
		return reply, err
	}
	text, readErr := io.ReadAll(reply.Body)
	reply.Body.Close()
	reply.Body = io.NopCloser(bytes.NewReader(text))
	if readErr == nil {
		j.judge(r, reply, text)
	}
	return reply, nil
}

func (j *judge) judge(r *http.Request, reply *http.Response, text []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, err := j.of(r.URL.Scheme + "://" + r.URL.Host)
	if err == nil {
		err = d.check(r.Method, r.URL.EscapedPath(), reply, text)
	}
	if j.judged++; err != nil {
		j.faults = append(j.faults, fmt.Sprintf("%s %s: %d: %v\n\t%.400s", r.Method, r.URL.Path, reply.StatusCode, err, text))
	}
}

// of reads the description of a server.
func (j *judge) of(address string) (*described, error) {
	if d := j.schemas[address]; d != nil {
		return d, nil
	}
	r, err := http.NewRequest("GET", address+"/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	r.Host = "localhost"
	reply, err := j.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, err
	}
	if d := j.texts[string(text)]; d != nil {
		j.schemas[address] = d
		return d, nil
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &described{compiler: jsonschema.NewCompiler(), paths: map[string]*regexp.Regexp{}, known: map[string]*jsonschema.Schema{}}
	d.document, _ = document.(map[string]any)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", document); err != nil {
		return nil, err
	}
	for path := range d.document["paths"].(map[string]any) {
		d.paths[path] = regexp.MustCompile("^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
	}
	j.schemas[address], j.texts[string(text)] = d, d
	return d, nil
}

// check holds a reply against the schema of its operation. What has no operation must be a problem.
func (d *described) check(method, path string, reply *http.Response, text []byte) error {
	status, kind := "default", "application~1problem+json"
	at := "/v1/loops" // any operation knows what problems are
	op := "get"
	if reply.StatusCode/100 == 2 {
		status, kind, at = "2XX", "application~1json", ""
		for name, shape := range d.paths {
			operations := d.document["paths"].(map[string]any)[name].(map[string]any)
			if shape.MatchString(path) && operations[strings.ToLower(method)] != nil && (at == "" || !strings.Contains(name, "{")) {
				at, op = name, strings.ToLower(method)
			}
		}
		if at == "" {
			return fmt.Errorf("the call is not described")
		}
		if at == "/openapi.json" {
			return nil
		}
	} else if got := reply.Header.Get("Content-Type"); got != "application/problem+json" {
		return fmt.Errorf("a problem of the type %s", got)
	}
	pointer := fmt.Sprintf("openapi.json#/paths/%s/%s/responses/%s/content/%s/schema", strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(at), op, status, kind)
	if d.known[pointer] == nil {
		schema, err := d.compiler.Compile(pointer)
		if err != nil {
			return err
		}
		d.known[pointer] = schema
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if p, isProblem := value.(map[string]any); isProblem && status == "default" && fmt.Sprint(p["status"]) != fmt.Sprint(json.Number(fmt.Sprint(reply.StatusCode))) {
		return fmt.Errorf("the problem says %v", p["status"])
	}
	return d.known[pointer].Validate(value)
}
