export * from './aggregator.module.js';
