"""Everything foreign, one folder each: its reads, its writes, its errors turned into ours."""
