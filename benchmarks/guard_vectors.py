"""The ways a page has to send a byte elsewhere, and the ways it has to hold up who looks at it (battery W5).

`{trap}` stands for an address that must not be reached, `{host}` for its host and port.
"""

from __future__ import annotations

VECTORS: dict[str, str] = {
    "image": "<img src='{trap}/i'>",
    "picture of a style": "<style>body{{background:url({trap}/c)}} @import url({trap}/css);</style>",
    "fetch": "<script>fetch('{trap}/f',{{mode:'no-cors'}}).catch(()=>0)</script>",
    "beacon": "<script>navigator.sendBeacon('{trap}/b','x')</script>",
    "socket": "<script>new WebSocket('{trap}/w'.replace('http','ws'))</script>",
    "events": "<script>new EventSource('{trap}/e')</script>",
    "iframe": "<iframe src='{trap}/if'></iframe>",
    "form": "<form id=f action='{trap}/form'><input name=q></form><script>f.submit()</script>",
    "script": "<script src='{trap}/s'></script>",
    "module worker": "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('{trap}/wk')\"])))</script>",
    "service worker": "<script>navigator.serviceWorker&&navigator.serviceWorker.register('/sw.js')</script>",
    "prefetch": "<link rel=prefetch href='{trap}/p'><link rel=prerender href='{trap}/pr'>"
    "<link rel=dns-prefetch href='{trap}'><link rel=preconnect href='{trap}'>"
    "<link rel=preload as=image href='{trap}/pl'>",
    "speculation": "<script type=speculationrules>"
    '{{"prerender":[{{"source":"list","urls":["{trap}/sp"]}}]}}</script>',
    "meta refresh": "<meta http-equiv=refresh content='0;url={trap}/m'>",
    "script location": "<script>location='{trap}/l'</script>",
    "popup": "<script>window.open('{trap}/po')</script>",
    "redirect": "<img src='/redirect'><iframe src='/redirect'></iframe><script>fetch('/redirect')</script>",
    "media": "<video src='{trap}/v' autoplay></video><object data='{trap}/o'></object>"
    "<embed src='{trap}/em'>",
    "rtc": "<script>const c=new RTCPeerConnection({{iceServers:[{{urls:'stun:{host}'}},"
    "{{urls:'turn:{host}?transport=tcp',username:'a',credential:'b'}}]}});c.createDataChannel('x');"
    "c.createOffer().then(o=>c.setLocalDescription(o))</script>",
    "ping": "<a id=a ping='{trap}/pg' href='#x'>x</a><script>a.click()</script>",
    "report": "<meta http-equiv=Content-Security-Policy "
    "content=\"img-src 'none'; report-uri {trap}/r\"><img src=/x>",
    "svg": "<svg><image href='{trap}/sv'/><use href='{trap}/us#a'/></svg>",
}
"""Pages that reach out; they may also name `/redirect`, which leads to the trap, and `/sw.js`."""

HOLDUPS: dict[str, str] = {
    "print": "<script>window.print()</script>",
    "alert": "<script>alert('hello')</script>",
    "a thousand alerts": "<script>for(let i=0;i<1000;i++)alert(i)</script>",
    "prompt": "<script>setTimeout(()=>prompt('who?'))</script>",
    "permissions": "<script>Notification.requestPermission();"
    "navigator.geolocation.getCurrentPosition(()=>0);navigator.mediaDevices&&"
    "navigator.mediaDevices.getUserMedia({audio:true,video:true}).catch(()=>0)</script>",
    "beforeunload": "<script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'})"
    "</script>",
    "download": "<a id=d href='/big' download>x</a><script>d.click()</script>",
    "basic auth": "<iframe src='/auth'></iframe><img src='/auth'>",
    "ten thousand windows": "<script>for(let i=0;i<10000;i++)window.open('/blank')</script>",
    "spin": "<script>setTimeout(()=>{while(true);},300)</script>",
    "canvas of 4 GB": "<canvas id=c width=32768 height=32768></canvas><script>"
    "const x=c.getContext('2d');x&&x.fillRect(0,0,9,9)</script>",
    "a million elements": "<script>document.body.innerHTML='<p>x'.repeat(1e6)</script>",
    "grows for ever": "<script>setInterval(()=>document.body.append(new Date+''),1)</script>",
    "moves on for ever": "<script>setTimeout(()=>location='/?'+Math.random(),20)</script>",
    "file": "<iframe src='file:///etc/passwd'></iframe><a id=f href='file:///etc/passwd'>x</a>"
    "<script>f.click();fetch('file:///etc/passwd').catch(()=>0)</script>",
    "view-source": "<script>location='view-source:http://127.0.0.1/'</script>",
    "full screen": "<script>document.documentElement.requestFullscreen().catch(()=>0)</script>",
}
"""Pages that hold up who looks at them; the look must end in time, and the next page must be seen."""
