#!/bin/sh
# A compiler's command, through ccache where there is one: that a build tree stays as it is when ccache comes or goes.
if command -v ccache >/dev/null; then
  # Precompiled headers: what they were made of is compared, not when.
  CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} exec ccache "$@"
fi
exec "$@"
