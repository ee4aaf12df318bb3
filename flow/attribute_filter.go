package flow

import "strings"

// AttributeTest compares an attribute with a value. What Value is depends on
// what the run's attribute is: a number is compared as a number. A run without
// the attribute, or with one that Value cannot be, does not pass.
type AttributeTest struct {
	Name string `json:"name"`
	// Op is = != < <= > or >=.
	Op    string `json:"op"`
	Value string `json:"value"`
}

// ParseAttributeTest reads "name>=value".
func ParseAttributeTest(text string) (AttributeTest, error) {
	at := strings.IndexAny(text, "=<>!")
	if at < 0 {
		return AttributeTest{}, &NameError{What: "condition", Value: text, Problem: "is none such as amount>=100: = != < <= > >="}
	}
	t := AttributeTest{Name: text[:at]}
	for _, op := range []string{"!=", "<=", ">=", "=", "<", ">"} {
		if rest, ok := strings.CutPrefix(text[at:], op); ok {
			t.Op, t.Value = op, rest
			break
		}
	}
	return t, t.Check()
}

// Check refuses a test that cannot be passed by anything.
func (t AttributeTest) Check() error {
	if err := CheckAttributeName(t.Name); err != nil {
		return err
	}
	switch t.Op {
	case "=", "!=", "<", "<=", ">", ">=":
		return nil
	}
	return &NameError{What: "comparison", Value: t.Op, Problem: "is none of = != < <= > >="}
}

// Passes reports whether a passes.
func (t AttributeTest) Passes(a Attribute) bool {
	v, err := NewAttribute(a.Kind, t.Value)
	if err != nil {
		return false
	}
	c := strings.Compare(a.Order(), v.Order())
	switch t.Op {
	case "=":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// String is the test as it is typed.
func (t AttributeTest) String() string { return t.Name + t.Op + t.Value }
