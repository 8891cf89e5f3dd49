import { AditApiError, type Model } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { questionsIn, type Answer, type Question } from '../model/new-model.js';
import type { Session } from './session.js';

/** A file that is to become a model. */
export interface NewModel {
  name: string;
  file: File;
  answers: Partial<Record<Answer, string>>;
}

/** The models that jobs may name. */
export class Models extends Observable {
  models: Model[] | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    try {
      this.models = await this.session.client.request('GET /v1/models/');
      this.fault = null;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  /** Adds a model, or a version of one; answers it, or what is asked about the file. */
  async add({ name, file, answers }: NewModel): Promise<Model | Question[]> {
    try {
      const model = await this.session.client.request('POST /v1/models/', { form: { ...answers, name, file } });
      await this.read();
      return model;
    } catch (error) {
      const questions = error instanceof AditApiError ? questionsIn(error.errors) : [];
      if (questions.length === 0) throw error;
      return questions;
    }
  }
}
