#include "runtime/processes/shared_cores.hpp"

#include <cstdint>
#include <string>

#include "runtime/log.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {

void note_shared_cores(int workers, int cores_each) {
  const int cores = usable_cores();
  if (std::int64_t{workers} * cores_each <= cores) return;
  const std::string each = cores_each > 1 ? " of " + std::to_string(cores_each) + " cores each" : "";
  log_line(LogLevel::info, std::to_string(workers) + " workers" + each + " share " + std::to_string(cores) +
                               (cores == 1 ? " core" : " cores") + " and take turns on them");
}

}  // namespace troupe
