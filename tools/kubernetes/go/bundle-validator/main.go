// Command bundle-validator judges bundles with the validators of the Operator Framework, the OperatorHub suite among
// them. It is built for tests, which compare its findings with ours.
//
// Each argument is a folder with manifests/ and metadata/; each line of the answer is one finding, as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
)

// All that judge a bundle but MultipleArchitecturesValidator, which asks Docker to pull the image, and
// AlphaDeprecatedAPIsValidator, which knows only kinds that are long gone.
var validators = interfaces.Validators{
	validation.ClusterServiceVersionValidator,
	validation.CustomResourceDefinitionValidator,
	validation.BundleValidator,
	validation.OperatorHubV2Validator,
	validation.StandardCategoriesValidator,
	validation.StandardCapabilitiesValidator,
	validation.GoodPracticesValidator,
}

type finding struct {
	Bundle string `json:"bundle"`
	Level  string `json:"level"`
	Field  string `json:"field,omitempty"`
	Text   string `json:"text"`
}

func main() {
	answer := json.NewEncoder(os.Stdout)
	for _, folder := range os.Args[1:] {
		bundle, err := manifests.GetBundleFromDir(folder)
		if err != nil {
			tell(answer, finding{folder, "Error", "", err.Error()})
			continue
		}
		for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
			for _, each := range result.Errors {
				tell(answer, finding{folder, "Error", each.Field, each.Error()})
			}
			for _, each := range result.Warnings {
				tell(answer, finding{folder, "Warning", each.Field, each.Error()})
			}
		}
	}
}

func tell(answer *json.Encoder, found finding) {
	if err := answer.Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
