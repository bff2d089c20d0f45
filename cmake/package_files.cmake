# Run by CPack on the files of a Debian package before it is packed: what Debian wants of one beside
# what is installed elsewhere: compressed pages, a changelog, the licences, stripped libraries.
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
if(NOT EXISTS ${usr})
  file(GLOB usr ${CPACK_TEMPORARY_DIRECTORY}/*/usr)
endif()
set(doc ${usr}/share/doc/etscope)
set(source ${CPACK_ETSCOPE_SOURCE})
file(MAKE_DIRECTORY ${doc} ${usr}/share/lintian/overrides)

# A changelog as Debian has it, with the date of the last change, so that the same source makes the same.
execute_process(COMMAND git -C ${source} log -1 --format=%cD OUTPUT_VARIABLE date ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT date)
  set(date "Thu, 01 Jan 2026 00:00:00 +0000")
endif()
file(WRITE ${doc}/changelog.Debian "etscope (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium\n\n"
  "  * Release ${CPACK_PACKAGE_VERSION}; see changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(COPY_FILE ${source}/CHANGELOG.md ${doc}/changelog)
file(READ ${source}/LICENSE license)
file(READ ${source}/NOTICE notice)
file(WRITE ${doc}/copyright "etscope\n\n${license}\n${notice}\nOn Debian systems, the texts of the GNU licences "
  "named above are in\n/usr/share/common-licenses/LGPL-2.1 and /usr/share/common-licenses/GPL-3. Nothing of them is "
  "in this\npackage.\n")

file(WRITE ${usr}/share/lintian/overrides/etscope
  "# ExecuTorch's libraries are those of its wheel, which nothing else uses, and look beside themselves.\n"
  "etscope: custom-library-search-path\n"
  "etscope: embedded-library\n"
  "etscope: hardening-no-fortify-functions\n"
  "# CPack writes these calls where a folder below /usr/lib has libraries; they do nothing.\n"
  "etscope: maintscript-calls-ldconfig\n"
  "# This is not Debian's own package.\n"
  "etscope: initial-upload-closes-no-bugs\n")

file(GLOB pages ${usr}/share/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} ${doc}/changelog ${doc}/changelog.Debian
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB libraries ${usr}/lib/etscope/*.so)
if(libraries)
  execute_process(COMMAND strip --strip-unneeded ${libraries} ${usr}/bin/etscope COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${libraries} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()
