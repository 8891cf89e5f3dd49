import { AditError, isoTime, type Recording } from '@adit/contracts';
import type { JobEntity } from '@adit/database';
import {
  findHeader,
  findRecording,
  findSegment,
  listedSegments,
  recordingPlaylist,
  signTicket,
  TICKET_SECONDS,
  type FoundRecording,
} from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A part of a recording: a segment in the object store, or a header. */
export type RecordingPart = { name: string } & ({ key: string; size: number } | { bytes: Buffer });

/** The read side of recordings. */
@Injectable()
export class Recordings {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Describes a recording, with addresses that work for the key that asks. Throws NOT_FOUND. */
  async describe(job: JobEntity, signer: string, baseUrl: string): Promise<Recording> {
    const found = await this.get(job);
    const segments = await listedSegments(this.db, job.id, found);
    const { ticket, expires } = newTicket(found, job.id, signer);
    const [first] = segments;
    const last = segments.at(-1);
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    return {
      state: found.ended ? 'ended' : 'recording',
      playlist: `${baseUrl}/api/v1/jobs/${job.id}/recording/index.m3u8?ticket=${ticket}`,
      time_expires: isoTime(new Date(expires * 1000)),
      minutes: found.seconds / 60,
      time_start: first === undefined ? null : isoTime(first.timeStart),
      time_end: last === undefined ? null : isoTime(new Date(last.timeStart.getTime() + last.durationUs / 1000)),
      duration: sum(segments.map(({ durationUs }) => durationUs)) / 1e6,
      size: sum(segments.map(({ bytes }) => bytes)),
      segment_count: segments.length,
    };
  }

  /**
   * The playlist; the addresses in it have the ticket that it was asked for with, or a new one for the key that asks.
   * Throws NOT_FOUND, also while nothing is recorded.
   */
  async playlist(job: JobEntity, signer: string, asked: string | undefined): Promise<string> {
    const found = await this.get(job);
    const segments = await listedSegments(this.db, job.id, found);
    if (segments.length === 0 && !found.ended) {
      throw new AditError('NOT_FOUND', 'Nothing is recorded yet: ask again in a few seconds.');
    }
    const ticket = asked ?? newTicket(found, job.id, signer).ticket;
    return recordingPlaylist(segments, { ended: found.ended, query: `?ticket=${encodeURIComponent(ticket)}` });
  }

  /** Throws NOT_FOUND for a part that is not there, or no more. */
  async part(job: JobEntity, name: string): Promise<RecordingPart> {
    const found = await this.find(job.id, name);
    if (found === null) throw new AditError('NOT_FOUND', `The recording has no part ${name}, or has it no more.`);
    return found;
  }

  private async get(job: JobEntity): Promise<FoundRecording> {
    const found = job.mediaType === 'videostream' ? await findRecording(this.db, job.id) : null;
    if (found !== null) return found;
    throw new AditError('NOT_FOUND', `The job ${job.id} has no recording: it was posted without \`record\`.`);
  }

  private async find(jobId: string, name: string): Promise<RecordingPart | null> {
    const digest = /^header-([0-9a-f]{1,64})\.mp4$/.exec(name)?.[1];
    if (digest !== undefined) {
      const bytes = await findHeader(this.db, jobId, digest);
      return bytes === null ? null : { name, bytes };
    }
    const seq = /^(\d{1,9})\.m4s$/.exec(name)?.[1];
    const segment = seq === undefined ? null : await findSegment(this.db, jobId, Number(seq));
    return segment === null ? null : { name, key: segment.objectKey, size: segment.bytes };
  }
}

function newTicket({ secret }: FoundRecording, jobId: string, signer: string): { ticket: string; expires: number } {
  const expires = Math.floor(Date.now() / 1000) + TICKET_SECONDS;
  return { ticket: signTicket(secret, jobId, { keyId: signer, expires }), expires };
}
