package flow

// TagRun adds and removes tags of a run, also of one that has ended.
type TagRun struct {
	Target Ref      `json:"target"`
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// SetAttributes sets and removes attributes of a run, also of one that has
// ended.
type SetAttributes struct {
	Target Ref                  `json:"target"`
	Set    map[string]Attribute `json:"set,omitempty"`
	Remove []string             `json:"remove,omitempty"`
}

// Verb implements [Deed].
func (TagRun) Verb() string { return "tag" }

// Verb implements [Deed].
func (SetAttributes) Verb() string { return "attr" }
