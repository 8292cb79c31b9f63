"""Rerankers: functions of scores, groups, a target distribution and a list length, one file each."""
