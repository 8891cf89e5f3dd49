// What openapi-generator made for Go: a photo is uploaded, mined, and its results are read as types.
package main

import (
	"context"
	"fmt"
	"os"

	adit "example.org/adit/sdk"
)

func main() {
	url, key, photo := os.Args[1], os.Args[2], os.Args[3]
	configuration := adit.NewConfiguration()
	configuration.Servers = adit.ServerConfigurations{{URL: url}}
	client := adit.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), adit.ContextAPIKeys,
		map[string]adit.APIKey{"apiKey": {Key: key, Prefix: "Key"}})

	file, err := os.Open(photo)
	must(err)
	entry, _, err := client.StorageAPI.PostStorage(ctx).File(file).Folder("/go").Execute()
	must(err)
	faces := adit.NewFaceRecognitionArguments()
	faces.SetClusterUnknowns(true)
	modules := adit.NewRequestedModules()
	modules.SetFaceRecognition(*faces)
	order := adit.NewJobRequest([]string{entry.GetUrl()}, *modules)
	job, _, err := client.JobsAPI.PostJobs(ctx).JobRequest(*order).Prefer("wait=60").IdempotencyKey("go").Execute()
	must(err)
	if job.State != adit.JOB_STATE_COMPLETED {
		panic(fmt.Sprintf("the job is %s: %v", job.State, job.Errors))
	}
	page, _, err := client.ResultsAPI.GetJobsByJobIdDetailedResults(ctx, job.Id).Limit(100).Execute()
	must(err)
	for _, segment := range page.Data {
		for _, detection := range segment.Detections {
			var width float64 = detection.Data["w"]
			if width <= 0 {
				panic("a face without a width")
			}
		}
	}
	models, _, err := client.ModelsAPI.GetModels(ctx).Execute()
	must(err)
	fmt.Printf("%d segments of job %s, begun %s, %d models\n", page.Total, job.Id, job.GetTimeStarted().Format("15:04"), len(models))
	if page.Total == 0 {
		os.Exit(1)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
