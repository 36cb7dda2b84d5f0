#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe {

namespace net {
/// Returns the seconds until a certificate expires; negative if it has expired.
std::int64_t seconds_left(const X509* certificate);
}  // namespace net

/// Returns the last valid day of the certificate in a folder, in UTC, such as "2027-02-19". @throws Error
/// bad_certificate
std::string last_day_of(const std::string& folder);

/// Returns one line with advice if the folder's certificate, or its authority's, expires soon; otherwise empty. Soon
/// means less than 14 days and less than a third of its lifetime. @throws Error bad_certificate
std::string expiry_notice(const std::string& folder);
/// Logs that line as a warning. @throws Error bad_certificate
void note_expiry(const std::string& folder);

}  // namespace troupe
