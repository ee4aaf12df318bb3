package engine

import (
	"errors"
	"fmt"

	"weft/engine/row"
	"weft/flow"
)

// ServiceRequest says for which run services are asked: its address, its type,
// the input it was started with and the tags it has now.
type ServiceRequest struct {
	Ref   flow.Ref
	Type  string
	Input flow.Payload
	Tags  []string
}

// Services is what Options.Services made for this life of the run, a database
// handle for instance. It is never stored. It is the zero T when the run needs
// none, and panics when it is of another type.
func Services[T any](ctx *Context) T {
	if ctx.life.services == nil {
		var none T
		return none
	}
	return ctx.life.services.(T)
}

// provide asks for a life's services before its code moves. A run that cannot
// have what it needs fails, and only that run.
func (l *life) provide() *flow.Failure {
	l.mu.Lock()
	head := l.head // an act that does not wait for the code may read it anew
	l.mu.Unlock()
	if !head.Services {
		return nil
	}
	v, err := l.askServices(head)
	if err != nil {
		return systemFailure(CodeServices, "workflow %q: services unavailable: %v", l.ref.ID, err)
	}
	l.services = v
	return nil
}

func (l *life) askServices(head row.Head) (v any, err error) {
	if l.eng.o.Services == nil {
		return nil, errors.New("the engine was opened without Options.Services")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %s", panicText(r))
		}
	}()
	return l.eng.o.Services(ServiceRequest{Ref: l.ref, Type: head.Type, Input: l.input, Tags: head.Tags})
}
