package formula

import "github.com/kedge-opt/kedge"

// compiler collects the values and the mistakes of a model.
type compiler struct {
	*graph
	names           map[string]*node
	inputs          map[string]*node    // the names before noise and let
	labels          map[string][]string // of the entries of what is declared
	dims            kedge.Dims
	state, decision *node
	stateName       string
	parts           int
	found           mistakes
}

func newCompiler() *compiler {
	return &compiler{graph: newGraph(), names: map[string]*node{}, labels: map[string][]string{}}
}

// tree reads one formula; nil means that a mistake was reported.
func (c *compiler) tree(t text) *expr {
	e, err := parse(t, &c.parts)
	if err != nil {
		c.found.add(err)
	}
	return e
}

// fail reports a mistake of a whole formula.
func (c *compiler) fail(t text, format string, args ...any) *node {
	c.found.add(t.fault(0, format, args...))
	return nil
}

func (c *compiler) builder(t text) *builder {
	return &builder{graph: c.graph, text: t, names: c.names, labels: c.labels, found: &c.found, decisions: c.dims.Decision}
}
