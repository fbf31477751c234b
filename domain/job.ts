/** Identifies a job to its workflow, which reads everything else from the database. */
export interface JobRef {
  partnerId: string;
  jobId: string;
}
