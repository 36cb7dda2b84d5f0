#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe {

namespace net {
/// Returns the seconds until a certificate expires; negative if it has expired.
std::int64_t seconds_left(const X509* certificate);
}  // namespace net

/// Returns the last valid day of the certificate in a member's folder, in UTC, such as "2027-02-19".
/// @throws Error bad_certificate
std::string last_day_of(const std::string& folder);

/// Returns one line with advice if the authority's certificate or the member's certificate in `folder` expires soon;
/// otherwise an empty text. Soon means in less than 14 days, or in less than a third of the certificate's lifetime,
/// whichever is shorter.
/// @throws Error bad_certificate
std::string expiry_notice(const std::string& folder);
/// Logs the text of `expiry_notice`, if not empty, as a warning. @throws Error bad_certificate
void note_expiry(const std::string& folder);

}  // namespace troupe
