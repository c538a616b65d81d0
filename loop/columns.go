package loop

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
)

// Standard lists the columns that every series has, whether they were measured or not.
func Standard() []kedge.Column { return Columns([]kedge.Instrument{&Meter{}, Trust{}}) }

// Describe returns the column of a name as the instruments of this package declare it, or one that is called by its name
// everywhere.
func Describe(name string) kedge.Column {
	if c, ok := known(name); ok {
		return c
	}
	return kedge.Column{Name: name, Label: name, Chart: name, Title: name, Symbols: name}
}

// Knows tells whether an instrument of this package declares a column of the name.
func Knows(name string) bool {
	_, ok := known(name)
	return ok
}

func known(name string) (c kedge.Column, ok bool) {
	list := slices.Concat(Standard(), Columns([]kedge.Instrument{&Theory{}, &Track{}, &Nash{}}), numbered(name))
	if i := slices.IndexFunc(list, func(c kedge.Column) bool { return c.Name == name }); i >= 0 {
		return list[i], true
	}
	return c, false
}

// numbered returns the columns that have the number at the end of a name.
func numbered(name string) []kedge.Column {
	number, err := strconv.Atoi(name[strings.LastIndexByte(name, '_')+1:])
	if err != nil || number < 0 {
		return nil
	}
	return append(constraintColumns(number), decisionColumn(number), traitColumn(number))
}
