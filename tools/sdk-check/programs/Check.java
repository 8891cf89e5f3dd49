package org.openapitools.client;

import java.io.File;
import java.util.List;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.ModelsApi;
import org.openapitools.client.api.ResultsApi;
import org.openapitools.client.api.StorageApi;
import org.openapitools.client.model.DetailedResult;
import org.openapitools.client.model.DetailedResultPage;
import org.openapitools.client.model.Detection;
import org.openapitools.client.model.FaceRecognitionArguments;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.JobRequest;
import org.openapitools.client.model.JobState;
import org.openapitools.client.model.Model;
import org.openapitools.client.model.RequestedModules;
import org.openapitools.client.model.StorageEntry;

/** What openapi-generator made for Java: a photo is uploaded, mined, and its results are read as types. */
public final class Check {
  public static void main(String[] args) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Key " + args[1]));
    File photo = new File(args[2]);
    StorageEntry entry = new StorageApi(client).postStorage(photo, "/java", null, null, null, null, null);
    long size = entry.getFileSize();
    expect(size == photo.length(), "the file has " + size + " bytes");

    JobRequest order = new JobRequest()
        .sources(List.of(entry.getUrl()))
        .modules(new RequestedModules().faceRecognition(new FaceRecognitionArguments().clusterUnknowns(true)));
    Job job = new JobsApi(client).postJobs(order, "wait=60", "java");
    expect(job.getState() == JobState.JOB_STATE_COMPLETED, "the job is " + job.getState() + ": " + job.getErrors());
    DetailedResultPage page =
        new ResultsApi(client).getJobsByJobIdDetailedResults(job.getId(), 0L, 100L, null, null, null, null, null, null);
    expect(page.getTotal() > 0, "no face was found");
    for (DetailedResult segment : page.getData()) {
      for (Detection detection : segment.getDetections()) {
        double width = detection.getData().get("w");
        expect(width > 0, "a face without a width");
      }
    }
    List<Model> models = new ModelsApi(client).getModels(null);
    System.out.println(page.getTotal() + " segments of job " + job.getId() + ", begun "
        + job.getTimeStarted().toLocalTime() + ", " + models.size() + " models");
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) throw new IllegalStateException(otherwise);
  }
}
