package folder

// Diagnosis is what spoils a result, with what would mend it.
type Diagnosis struct {
	Method string `json:"method,omitempty"` // whose it is; "": everybody's
	Check  string `json:"check"`            // what was looked at, as package doctor calls it
	Text   string `json:"text"`             // what is wrong
	Remedy string `json:"remedy,omitempty"` // the key and the value that would mend it, or what else to do
}
