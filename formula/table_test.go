package formula

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var shop = Table{
	Columns: []TableColumn{{Name: "income"}, {Name: "age in years"}, {Name: "region", Texts: []int{1, 0}, Sample: `row 1 has "south"`}, {Name: "home", Texts: []int{0, 1, 2}}},
	Words:   []string{"south", "north", "abroad"},
}

var nan = math.NaN()

var shopRows = [][]float64{{30, 40, 0, 0}, {0, 17, 1, 2}, {nan, 63, 1, 1}, {-2, nan, 0, nan}}

// What formulas of columns give, by hand; NaN is unknown.
func TestFormulasOfColumns(t *testing.T) {
	for formula, want := range map[string][]float64{
		"income/10 + 1":                 {4, 1, nan, .8},
		"2*`age in years`":              {80, 34, 126, nan},
		"income > 0":                    {1, 0, nan, 0},
		"0 < income < 20":               {0, 0, nan, 0},
		`region == "north"`:             {0, 1, 1, 0},
		`region != "north"`:             {1, 0, 0, 1},
		"region == home":                {1, 0, 1, nan},
		"missing(income)":               {0, 0, 1, 0},
		"not missing(home)":             {1, 1, 1, 0},
		"fill(income, 7)":               {30, 0, 7, -2},
		"income > 0 and region != home": {0, 0, 0, 0},
		"income > 0 or region == home":  {1, 0, 1, nan},
		"not missing(income) and income > 1 or `age in years` > 60": {1, 0, 1, nan},
		"not income > 0":                    {0, 1, nan, 1},
		"where(income > 0, income, -1)":     {30, -1, nan, -1},
		"where(missing(income), 5, income)": {30, 0, 5, -2},
		"log(income)":                       {math.Log(30), nan, nan, nan},
		"log(2) + 0*income":                 {math.Log(2), math.Log(2), nan, math.Log(2)},
		"(income > 0) * income":             {30, 0, nan, 0},
		`fill(home, "none") == "none"`:      {0, 0, 0, 1},
		"sum(onehot(region))":               {1, 1, 1, 1},
		"onehot(region)[0]":                 {0, 1, 1, 0},
		"3":                                 {3, 3, 3, 3},
	} {
		c, err := shop.Compile(TableField{"f", formula, GivesScalar})
		if err != nil {
			t.Error(formula, err)
			continue
		}
		got := make([]float64, len(shopRows))
		c.Rows(got, slices.Concat(shopRows...))
		for i := range want {
			if math.IsNaN(want[i]) != math.IsNaN(got[i]) || math.Abs(got[i]-want[i]) > 1e-15*math.Abs(want[i]) {
				t.Errorf("%s gives %v, want %v", formula, got, want)
				break
			}
		}
	}
}

func TestEntriesOfFormulasHaveNames(t *testing.T) {
	c, err := shop.Compile(TableField{"a", "income", GivesNumbers}, TableField{"b", "onehot(region)", GivesNumbers}, TableField{"c", "[income, 2]", GivesNumbers},
		TableField{"d", `fill(home, "none")`, GivesLabel})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range c.Entries {
		names = append(names, e.Name)
	}
	if got, want := strings.Join(names, "|"), `income|region = north|region = south|[income, 2][0]|[income, 2][1]|fill(home, "none")`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	dst := make([]float64, 6*4)
	c.Rows(dst, slices.Concat(shopRows...))
	if last := dst[23]; c.Words[int(last)] != "none" || !slices.Equal(dst[:6], []float64{30, 0, 1, 30, 2, 0}) {
		t.Errorf("%v, %v", dst, c.Words)
	}
}

func TestMistakesInFormulasOfColumns(t *testing.T) {
	for formula, want := range map[string]string{
		"region":                `f:1:1: region holds texts (row 1 has "south"); want a number: region == "north", or onehot(region) for all of them`,
		"1 + region":            `f:1:5: region holds texts (row 1 has "south"); want a number: region == "north", or onehot(region) for all of them`,
		`region == "west"`:      `f:1:11: no region is "west"; there are "north", "south"`,
		`region < "north"`:      `f:1:1: region < "north": texts are compared two at a time, by == or !=`,
		`income == "north"`:     `f:1:1: income holds numbers, "north" is a text`,
		`"north" == income`:     `f:1:12: income holds numbers, "north" is a text`,
		`"a" == "b"`:            `f:1:1: "a" == "b" compares two texts, want a column beside one`,
		`1 + "north"`:           `f:1:5: "north" is a text; texts stand only beside == and != in formulas of a table's columns`,
		"onehot(income)":        "f:1:1: onehot(income): income holds numbers; onehot is of texts",
		"onehot(region, 2)":     "f:1:1: onehot(region, 2): 2 arguments, want 1",
		"fill(region, 2)":       "f:1:1: fill(region, 2): region holds texts, want a text in double quotes to fill it with",
		"[income, 1]":           "f:1:1: [income, 1] has 2 entries, want a number",
		"`age":                  "f:1:1: ` is not closed",
		"income and":            "f:1:11: the formula ends, want a number, a name or a bracket",
		"income and income > 1": "f:1:1: income is no comparison, want one such as p > 0",
		"where(income, 1, 2)":   "f:1:7: income is no comparison, want one such as p > 0",
		"incme":                 "f:1:1: unknown name incme; known are age in years, home, income, region; did you mean income?",
	} {
		if _, err := shop.Compile(TableField{"f", formula, GivesScalar}); err == nil || err.Error() != want {
			t.Errorf("%s gives\n%v\nwant\n%s", formula, err, want)
		}
	}
}

// In models and, or and not are words of conditions only where nothing else can stand, so that names keep their meaning.
func TestConditionsOfModels(t *testing.T) {
	m, err := Compile(Source{Decision: "u", State: "p", Trait: "d", Let: []Binding{{Name: "not", Expr: "3"}},
		Next: "where(p > 1 and not (d > 2 or d < -2), not - 1, where(not p == 0, 5, 7))"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]float64{{2, 0, 2}, {2, 3, 5}, {2, -3, 5}, {1, 0, 5}, {0, 0, 7}} {
		got := make([]float64, 1)
		if m.Dynamics().Next(got, []float64{c[0]}, []float64{0}, []float64{c[1]}); got[0] != c[2] {
			t.Errorf("p = %v, d = %v gives %v, want %v", c[0], c[1], got[0], c[2])
		}
	}
	if _, err := Compile(Source{Decision: "u", State: "p", Minimize: "p > 1 and u > 2"}); err == nil {
		t.Error("a condition is a loss")
	}
}

// Columns and indices may be called as a function of columns alone is, and stand beside it.
func TestColumnsCalledAsFunctionsOfColumns(t *testing.T) {
	data := Table{Columns: []TableColumn{{Name: "missing"}, {Name: "fill"}, {Name: "onehot", Texts: []int{0, 1}}}, Words: []string{"log", "missing"}}
	row := []float64{nan, 3, 1}
	for formula, want := range map[string]float64{
		"fill":                             3,
		"fill(missing, fill)":              3,
		"fill(missing, `fill` + 1)":        4,
		"where(missing(missing), fill, 2)": 3,
		"sum(onehot(onehot))":              1,
		"onehot(onehot)[1]":                1,
		`onehot == "missing"`:              1,
		"log(fill)":                        math.Log(3),
	} {
		c, err := data.Compile(TableField{"f", formula, GivesScalar})
		if err != nil {
			t.Error(formula, err)
			continue
		}
		got := make([]float64, 1)
		if c.Rows(got, row); math.Abs(got[0]-want) > 1e-15*want {
			t.Errorf("%s gives %v, want %v", formula, got[0], want)
		}
	}
	got := make([]float64, 1)
	c, err := shop.Compile(TableField{"f", "sum(2*missing for missing in 0:3) + sum([fill for fill in 0:2]) + income", GivesScalar})
	if err != nil {
		t.Fatal(err)
	}
	if c.Rows(got, shopRows[0]); got[0] != 6+1+30 {
		t.Errorf("sums over indices give %v, want 37", got[0])
	}
	for formula, want := range map[string]string{
		"where(missing, 1, 2)": "f:1:7: missing is no comparison, want one such as p > 0",
		"onehot":               `f:1:1: onehot holds texts; want a number: onehot == "log", or onehot(onehot) for all of them`,
		"fill + \"missing\"":   `f:1:8: "missing" is a text; texts stand only beside == and != in formulas of a table's columns`,
	} {
		if _, err := data.Compile(TableField{"f", formula, GivesScalar}); err == nil || err.Error() != want {
			t.Errorf("%s gives\n%v\nwant\n%s", formula, err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	got, err := References("f", "a/`b c` + where(pi > a[0:e], log(d), 2) + sum(a*i for i in 0:3)")
	if want := []Reference{{"a", false, 1, 1}, {"b c", false, 1, 3}, {"pi", true, 1, 17}, {"e", true, 1, 26}, {"d", false, 1, 34}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
}

// Every reason why a formula of columns is none, with where it is.
func TestMoreMistakesInFormulasOfColumns(t *testing.T) {
	words, many := []string{}, []int{}
	for i := range 1001 {
		words, many = append(words, "w"+strconv.Itoa(i)), append(many, i)
	}
	big := Table{Columns: []TableColumn{{Name: "x"}, {Name: "few", Texts: many[:1000]}, {Name: "many", Texts: many}, {Name: "none", Texts: []int{}}, {Name: "the word", Texts: many[:13], Sample: "row 7"}}, Words: words}
	twelve := ""
	for i := range 12 {
		twelve += strconv.Quote(words[i]) + ", "
	}
	for _, c := range []struct {
		formula string
		wants   FieldKind
		want    string // "": it is one
	}{
		{"fill(x, [1, 2])", GivesScalar, "f:1:1: fill(x, [1, 2]): [1, 2] has 2 entries, want a number"}, {"fill(y, 2)", GivesScalar, "f:1:6: unknown name y; known are few, many, none, the word, x"}, {"fill(x, y)", GivesScalar, "f:1:9: unknown name y; known are few, many, none, the word, x"},
		{"fill(x)", GivesScalar, "f:1:1: fill(x): 1 arguments, want 2"}, {"missing(x, x)", GivesScalar, "f:1:1: missing(x, x): 2 arguments, want 1"}, {"[x, 1]", GivesLabel, "f:1:1: [x, 1] has 2 entries, want one value"}, {"[x, 1]", GivesNumbers, ""},
		{"outer([x, 1], [x, 1])", GivesNumbers, "f:1:1: outer([x, 1], [x, 1]) is a 2×2 matrix, want a number"}, {"few", GivesLabel, ""}, {"x", GivesLabel, ""}, {"x", GivesCondition, "f:1:1: x is no comparison, want one such as p > 0"}, {"abs(x)", GivesCondition, "f:1:1: abs(x) is no comparison, want one such as p > 0"}, {"missing(x)", GivesCondition, ""}, {"x > 1", GivesCondition, ""},
		{"sum(onehot(few))", GivesScalar, ""}, {"sum(onehot(many))", GivesScalar, "f:1:5: onehot(many): many has 1001 different texts, want 1 to 1000"}, {"sum(onehot(none))", GivesScalar, "f:1:5: onehot(none): none has 0 different texts, want 1 to 1000"},
		{"none", GivesScalar, `f:1:1: none holds texts; want a number: none == "", or onehot(none) for all of them`}, {"2*`the word`", GivesScalar, "f:1:3: `the word` holds texts (row 7); want a number: `the word` == \"w0\", or onehot(`the word`) for all of them"},
		{"`the word` == \"v\"", GivesScalar, "f:1:15: no `the word` is \"v\"; there are " + twelve + "…"}, {`few == "w999"`, GivesScalar, ""}, {`few == "w1000"`, GivesScalar, `f:1:8: no few is "w1000"; there are ` + twelve + "…"}, {`"w1" == few`, GivesScalar, ""},
		{`few == many == "w1"`, GivesScalar, `f:1:1: few == many == "w1": texts are compared two at a time, by == or !=`}, {"few == y", GivesScalar, "f:1:8: unknown name y; known are few, many, none, the word, x"}, {`"w1"`, GivesScalar, `f:1:1: "w1" is a text; texts stand only beside == and != in formulas of a table's columns`},
		{"mising(x)", GivesScalar, "f:1:1: unknown function mising; did you mean missing?"}, {"log(few)", GivesScalar, `f:1:5: few holds texts; want a number: few == "w0", or onehot(few) for all of them`}, {"log([x, 2])", GivesNumbers, ""}, {"log(x, 2)", GivesScalar, "f:1:1: log(x, 2): 2 arguments, want 1"},
	} {
		switch _, err := big.Compile(TableField{"f", c.formula, c.wants}); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s gives\n%v\nwant\n%s", c.formula, err, c.want)
		}
	}
}

// Words that fill texts: those that the column has stay what they are, others come behind all, once.
func TestWordsThatFillTexts(t *testing.T) {
	c, err := shop.Compile(TableField{"a", `fill(home, "north")`, GivesLabel}, TableField{"b", `fill(region, "abroad")`, GivesLabel}, TableField{"c", `fill(home, "far")`, GivesLabel}, TableField{"d", `fill(region, "far")`, GivesLabel})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Words, []string{"south", "north", "abroad", "far"}) || !slices.Equal(shop.Words, []string{"south", "north", "abroad"}) {
		t.Errorf("words %v, before %v", c.Words, shop.Words)
	}
	for i, want := range [][]int{{0, 1, 2}, {1, 0, 2}, {0, 1, 2, 3}, {1, 0, 3}} {
		if e := c.Entries[i]; e.Field != i || !slices.Equal(e.Texts, want) {
			t.Errorf("entry %d is %+v, want %v", i, e, want)
		}
	}
	dst := make([]float64, 4)
	if c.Rows(dst, shopRows[3]); !slices.Equal(dst, []float64{1, 0, 3, 0}) {
		t.Errorf("%v", dst)
	}
}

// The parts of a formula count once, of which there may be 65,536: entries are named without building anything again.
func TestLongFormulasOfColumnsAreBuiltOnce(t *testing.T) {
	c, err := shop.Compile(TableField{"f", "abs([income*income*income for i in 0:10000])", GivesNumbers})
	if err != nil || len(c.Entries) != 10000 || !strings.HasSuffix(c.Entries[9999].Name, "[9999]") {
		t.Fatalf("%v", err)
	}
}
