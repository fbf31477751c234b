/** Names a job to its workflow: all else stands in the database. */
export interface JobRef {
  partnerId: string;
  jobId: string;
}
