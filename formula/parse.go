package formula

// expr is a part of a formula as it is written.
type expr struct {
	kind     exprKind
	pos, end int // bytes of the text, from the first to behind the last
	name     string
	number   float64
	ops      []string // of a comparison a <= b <= c
	args     []*expr
	cuts     []cut // of a slice of args[0]
	isParen  bool  // stands in parentheses, which pos and end include
}

type exprKind int

const (
	numberExpr exprKind = iota
	nameExpr
	negateExpr
	binaryExpr // name is the sign
	compareExpr
	callExpr // name is the function
	listExpr
	sliceExpr
	transposeExpr
	eachExpr  // args[0] for every whole number, known by name, from args[1] to below args[2]
	logicExpr // name is and, or or not
	textExpr  // name is the text
)

// cut is one axis of a slice: an index, or a range lo:hi either end of which may be left out.
type cut struct {
	lo, hi *expr
	isWide bool
}

// Binding powers: a sign takes what binds tighter than itself.
const (
	either = iota + 1
	both
	denying
)

const (
	comparing = 10 * (iota + 1)
	adding
	multiplying
	negating
	raising
	applying
)

// signs are the operators: how tight they bind and, where they work entry by entry, the operation.
var signs = map[string]struct {
	power int
	op    op
}{
	"<": {comparing, opLess}, "<=": {comparing, opAtMost}, ">": {comparing, opLess}, ">=": {comparing, opAtMost}, // the latter two turned round
	"==": {comparing, opEqual}, "!=": {comparing, opUnequal},
	"+": {adding, opAdd}, "-": {adding, opSub},
	"*": {multiplying, opMul}, "/": {multiplying, opDiv}, "@": {power: multiplying},
	"^": {power: raising}, "[": {power: applying}, "'": {power: applying},
}

func power(t token) int {
	switch {
	case t.isWord("or"):
		return either
	case t.isWord("and"):
		return both
	case t.kind != signToken:
		return 0
	}
	return signs[t.text].power
}

// parser reads one formula by operator precedence [pratt1973]. After the first mistake it sees only the end.
type parser struct {
	text
	tok   token
	last  int  // where the last token taken ended
	depth int  // of nested calls of expr
	parts *int // of all formulas so far
	err   *Error
}

// parse returns the formula as a tree. Parts counts the parts of all formulas.
func parse(t text, parts *int) (*expr, *Error) {
	p := &parser{text: t, parts: parts}
	if len(t.body) > maxText {
		return nil, t.fault(0, "the formula has %d bytes, at most %d are allowed", len(t.body), maxText)
	}
	p.advance()
	if p.tok.kind == endToken && p.err == nil {
		return nil, t.fault(0, "the formula is empty")
	}
	e := p.expr(0)
	if p.err == nil && p.tok.kind != endToken {
		p.fail(p.tok.pos, "%s after the end of the formula; %s", describe(p.tok), p.missing())
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// missing guesses what a formula that goes on behind its end is about.
func (p *parser) missing() string {
	if hasName(p.body, "if") {
		return "a choice is written where(condition, x, y)"
	}
	return "is an operator missing?"
}

func describe(t token) string {
	if t.kind == endToken {
		return "the formula ends"
	}
	return "found " + t.text
}

func (p *parser) advance() {
	p.last = p.tok.end
	p.tok = scan(p.body, p.tok.end)
	if p.tok.kind == badToken {
		p.fail(p.tok.pos, "%s", p.tok.text)
	}
}

// fail keeps the first mistake and moves to the end.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = p.fault(at, format, args...)
	}
	p.tok = token{kind: endToken, pos: len(p.body), end: len(p.body)}
}

func (p *parser) is(sign string) bool { return p.tok.kind == signToken && p.tok.text == sign }

// expect takes a sign.
func (p *parser) expect(sign, where string) {
	if !p.is(sign) {
		p.fail(p.tok.pos, "%s, want %s %s", describe(p.tok), sign, where)
		return
	}
	p.advance()
}

// expr reads what binds tighter than a power.
func (p *parser) expr(above int) *expr {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.fail(p.tok.pos, "the formula is nested more than %d deep; name parts of it with let", maxDepth)
	}
	left := p.prefix()
	for p.err == nil && power(p.tok) > above {
		left = p.infix(left)
	}
	return left
}

// part makes an expression that began at pos and ends with the last token.
func (p *parser) part(kind exprKind, pos int, name string, args ...*expr) *expr {
	*p.parts++
	if *p.parts > maxParts {
		p.fail(pos, "the formulas have more than %d parts", maxParts)
	}
	return &expr{kind: kind, pos: pos, end: max(pos, p.last), name: name, args: args}
}

func (p *parser) prefix() *expr {
	t := p.tok
	switch {
	case t.kind == numberToken:
		p.advance()
		e := p.part(numberExpr, t.pos, "")
		e.number = t.number
		return e
	case t.kind == textToken:
		p.advance()
		return p.part(textExpr, t.pos, t.text)
	case t.kind == nameToken:
		return p.named(t)
	case p.is("-"), p.is("+"):
		return p.signed(t)
	case p.is("("):
		p.advance()
		e := p.expr(0)
		p.expect(")", "to close (")
		e.pos, e.end, e.isParen = t.pos, p.last, true
		return e
	case p.is("["):
		p.advance()
		return p.part(listExpr, t.pos, "", p.list("]")...)
	}
	p.fail(t.pos, "%s, want a number, a name or a bracket", describe(t))
	return p.part(numberExpr, t.pos, "")
}

func (p *parser) signed(t token) *expr {
	p.advance()
	e := p.expr(negating)
	if t.text == "+" {
		return e
	}
	return p.part(negateExpr, t.pos, "-", e)
}

func (p *parser) named(t token) *expr {
	p.advance()
	if t.isWord("not") && p.beginsOperand() {
		return p.part(logicExpr, t.pos, t.text, p.expr(denying))
	}
	if t.isQuoted || !p.is("(") {
		return p.part(nameExpr, t.pos, t.text)
	}
	p.advance()
	args := p.list(")")
	return p.part(callExpr, t.pos, t.text, args...)
}

// beginsOperand tells whether a formula can begin here, so that not is no name.
func (p *parser) beginsOperand() bool {
	name := p.tok.kind == nameToken && !p.tok.isWord("and") && !p.tok.isWord("or")
	return name || p.tok.kind == numberToken || p.tok.kind == textToken || p.is("(")
}

// list reads expressions between commas and the bracket behind them.
func (p *parser) list(closing string) (all []*expr) {
	for p.err == nil && !p.is(closing) {
		all = append(all, p.expr(0))
		if p.tok.isWord("for") && len(all) == 1 {
			all[0] = p.each(all[0])
			break
		}
		if !p.is(",") {
			break
		}
		p.advance()
	}
	p.expect(closing, "or a comma")
	return all
}

// each reads what follows a body: for i in 0:n.
func (p *parser) each(body *expr) *expr {
	p.advance()
	index := p.tok
	if index.kind != nameToken {
		p.fail(index.pos, "%s, want the name of an index, as in: for i in 0:3", describe(index))
		return body
	}
	p.advance()
	if !p.tok.isWord("in") {
		p.fail(p.tok.pos, "%s, want in, as in: for %s in 0:3", describe(p.tok), index.text)
		return body
	}
	p.advance()
	from := p.expr(0)
	p.expect(":", "and the end of the range, which does not belong to it, as in 0:3")
	to := p.expr(0)
	return p.part(eachExpr, body.pos, index.text, body, from, to)
}

func (p *parser) infix(left *expr) *expr {
	sign := p.tok
	switch power(sign) {
	case either, both:
		p.advance()
		right := p.expr(power(sign))
		return p.part(logicExpr, left.pos, sign.text, left, right)
	case comparing:
		return p.comparison(left)
	case applying:
		p.advance()
		if sign.text == "'" {
			return p.part(transposeExpr, left.pos, "'", left)
		}
		return p.slice(left)
	}
	p.advance()
	above := power(sign)
	if sign.text == "^" {
		above-- // to the right first
	}
	right := p.expr(above)
	return p.part(binaryExpr, left.pos, sign.text, left, right)
}

// comparison reads a chain a <= b <= c as one.
func (p *parser) comparison(left *expr) *expr {
	args, ops := []*expr{left}, []string(nil)
	for p.err == nil && power(p.tok) == comparing {
		ops = append(ops, p.tok.text)
		p.advance()
		args = append(args, p.expr(comparing))
	}
	e := p.part(compareExpr, left.pos, "", args...)
	e.ops = ops
	return e
}

func (p *parser) slice(base *expr) *expr {
	var cuts []cut
	for p.err == nil {
		cuts = append(cuts, p.cut())
		if !p.is(",") {
			break
		}
		p.advance()
	}
	p.expect("]", "to close [")
	e := p.part(sliceExpr, base.pos, "", base)
	e.cuts = cuts
	return e
}

func (p *parser) cut() (c cut) {
	if !p.is(":") {
		c.lo = p.expr(0)
	}
	if !p.is(":") {
		return c
	}
	p.advance()
	c.isWide = true
	if !p.is("]") && !p.is(",") {
		c.hi = p.expr(0)
	}
	return c
}
