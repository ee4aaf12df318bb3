package engine_test

import (
	"context"
	"fmt"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// Total is what orders are found and sorted by.
var Total = engine.Attribute[float64]{Name: "total"}

// Order records its total as soon as it knows it. The attribute stays when the
// run has ended.
var Order = engine.Workflow[[]float64, float64]{Name: "order", Do: func(ctx *engine.Context, prices []float64) (float64, error) {
	sum := 0.0
	for _, p := range prices {
		sum += p
	}
	if sum > 100 {
		if err := ctx.AddTags("large"); err != nil {
			return 0, err
		}
	}
	return sum, Total.Set(ctx, sum)
}}

func ExampleAttribute() {
	ctx := context.Background()
	s := memory.New(memory.Options{})
	defer s.Close()
	eng, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{Order}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Close(ctx)
	for id, prices := range map[flow.WorkflowID][]float64{"small": {9.5}, "middle": {40, 50}, "large": {99, 0.5, 300}} {
		run, err := Order.Start(ctx, eng, prices, engine.StartOptions{ID: id})
		if err == nil {
			_, err = run.Result(ctx)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	atLeast, err := flow.ParseAttributeTest("total>=90")
	if err != nil {
		fmt.Println(err)
	}
	page, err := eng.Operator().Page(ctx, flow.Query{Of: flow.ListRuns, Sort: flow.ByAttribute("total"),
		Filter: flow.Filter{Attributes: []flow.AttributeTest{atLeast}}})
	for _, r := range page.Runs {
		fmt.Println(r.ID, r.Attributes["total"], r.Tags)
	}
	fmt.Println(err)
	// Output:
	// large 399.5 [large]
	// middle 90 []
	// <nil>
}
