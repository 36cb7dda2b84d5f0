#pragma once

namespace troupe {

/// Logs a line where workers of this machine ask for more cores than this process may use: they share these.
void note_shared_cores(int workers, int cores_each);

}  // namespace troupe
