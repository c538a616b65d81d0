package formula

// What a formula may ask for. The bounds keep compilation below 100 ms and 64 MB and let no formula hang a program.
const (
	maxText     = 1 << 16 // bytes of one formula
	maxFormulas = 1 << 10 // let bindings, and constraints
	maxDepth    = 200     // parentheses, calls and signs inside each other
	maxParts    = 1 << 12 // operators, names and numbers of all formulas together
	maxNodes    = 1 << 14 // operations of a model and its derivatives
	maxEntries  = 1 << 20 // entries of one value
	maxNumbers  = 1 << 21 // entries of all constants together
	maxRow      = 1 << 22 // entries of all values of one individual together
	maxFolding  = 1 << 22 // operations on constants while compiling
	maxCost     = 1 << 25 // operations for one individual
	maxForms    = 1 << 19 // coefficients of linear constraints
)
